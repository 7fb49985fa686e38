// The prompts of this window. They are held here, in memory, and nowhere else:
// nothing of them may be found in the browser's profile.
import { Latest, get, lastEvent, listen, post } from './server.js';

let count = 0; // of the prompts of this window

// turns are the prompts, newest first. The state of a turn is "runs", "done",
// "failed" or "stopped".
export const session = { turns: [], draft: '', models: null, model: '', modelsError: '' };

let sending = Promise.resolve(); // the prompt whose id is not here yet

// handOver is what a page that comes after this one takes over. It goes through
// the program's memory alone. A prompt that is being sent is handed over with its id,
// without which its answer could not be found.
export async function handOver() {
  await sending;
  return {
    draft: session.draft,
    turns: session.turns.map(({ started, ...turn }) => ({ ...turn, elapsed: performance.now() - started })),
    after: lastEvent(),
  };
}

// takeOver is called before anything is shown.
export function takeOver({ draft = '', turns = [] }) {
  session.draft = draft;
  session.turns = turns.map(({ elapsed, ...turn }) => ({ ...turn, started: performance.now() - elapsed }));
  count = Math.max(0, ...session.turns.map((turn) => turn.key));
}

const watchers = new Set();
const drawers = new WeakMap(); // by turn

// onText has a function called after every change of a turn's text; null ends that.
export const onText = (turn, drawer) => drawers.set(turn, drawer);

const redraw = (turn) => drawers.get(turn)?.();

// watch has a function called after every change that is more than text.
export function watch(watcher) {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

function change(values) {
  Object.assign(session, values);
  changed();
}

function changed() {
  for (const watcher of watchers) {
    watcher();
  }
}

// The store has the origin's port in its key, so it outlives a reload and no
// more; what is kept from one window to the next, the server knows.
const store = 'windsock.model';

const loads = new Latest();

export function loadModels() {
  loads.take(get('/api/models'), ({ models, default: standard, last }) => {
    const usable = (uid) => models.some((m) => m.uid === uid && !m.disabled);
    const model = [session.model, localStorage.getItem(store), last, standard].find(usable) ?? '';
    change({ models, model, modelsError: '' });
  }, (refusal) => change({ models: null, modelsError: refusal.message }));
}

export function choose(uid) {
  session.model = uid;
  // A private model's name is for no disk.
  if (uid.startsWith('MODEL_PRIVATE')) {
    localStorage.removeItem(store);
  } else {
    localStorage.setItem(store, uid);
  }
  changed();
}

export const modelNamed = (uid) => session.models?.find((m) => m.uid === uid);
const labelOf = (uid) => modelNamed(uid)?.label ?? uid;
export const running = () => session.turns.find((turn) => turn.state === 'runs');

const early = new Map(); // what came of a prompt before its id did

// ask sends a prompt. It is false if one runs already.
export async function ask(text, uid) {
  if (running()) {
    return false;
  }
  const turn = {
    key: ++count, id: null, prompt: text, model: uid, label: labelOf(uid), text: '', step: '', state: 'runs',
    sentence: '', answer: null, started: performance.now(), stopping: false,
  };
  session.turns.unshift(turn);
  changed();
  sending = send(turn);
  await sending;
  return true;
}

async function send(turn) {
  try {
    const { id } = await post('/api/ask', { text: turn.prompt, model: turn.model });
    turn.id = id;
    const missed = early.get(id) ?? [];
    early.clear();
    missed.forEach((event) => hear(turn, event));
    if (turn.stopping) {
      stop(turn);
    }
  } catch (refusal) {
    Object.assign(turn, { state: 'failed', sentence: refusal.message });
    giveBack(turn);
    changed();
  }
}

// giveBack puts a prompt of which nothing came back into the text box, unless
// something stands there: it need not be written again.
function giveBack(turn) {
  if (!turn.text && session.draft === '') {
    session.draft = turn.prompt;
  }
}

// stop asks the server to cancel; what it says then ends the turn.
export async function stop(turn) {
  turn.stopping = true;
  changed();
  if (turn.id === null) {
    return;
  }
  try {
    await post(`/api/ask/${encodeURIComponent(turn.id)}/cancel`);
  } catch (refusal) {
    if (turn.state === 'runs') {
      Object.assign(turn, { state: 'failed', sentence: refusal.message });
      changed();
    }
  }
}

listen('ask', (event) => {
  const turn = session.turns.find((t) => t.id === event.id);
  if (turn) {
    hear(turn, event);
  } else if (running()?.id === null) {
    early.set(event.id, [...(early.get(event.id) ?? []), event]);
  }
});

function hear(turn, event) {
  if (turn.state !== 'runs') {
    return;
  }
  switch (event.kind) {
    case 'grows':
      if (turn.text === '') {
        turn.text = event.text;
        turn.step = '';
        changed();
      } else {
        turn.text += event.text;
      }
      redraw(turn);
      return;
    case 'changes':
      turn.text = event.text;
      redraw(turn);
      break;
    case 'works':
      turn.step = event.words || 'works';
      break;
    case 'done':
      Object.assign(turn, { state: 'done', answer: event.answer, text: event.answer.text });
      redraw(turn);
      break;
    case 'failed':
      Object.assign(turn, {
        state: turn.stopping ? 'stopped' : 'failed', sentence: event.sentence, answer: event.answer ?? null,
        text: event.answer?.text || turn.text,
      });
      giveBack(turn);
      redraw(turn);
      break;
  }
  changed();
}

let wasLive = true; // the figures, when they last came

// A program that has ended ends no answer, and what it said of the editor counts no
// more.
listen('link', (link) => {
  const lost = { ended: 'The window’s session', gone: 'Windsock' }[link];
  if (lost) {
    const turn = running();
    if (turn) {
      Object.assign(turn, { state: 'failed', sentence: `${lost} ended before the answer did.` });
    }
    session.modelsError = '';
    wasLive = false;
    changed();
  }
  if (link === 'up' && session.modelsError) {
    loadModels();
  }
});

// The models come from where the figures do: once those come again, so do they.
listen('usage', ({ live }) => {
  const again = live && !wasLive;
  wasLive = live;
  if (again && !session.models) {
    loadModels();
  }
});
