// The prompts of this window. They are held here, in memory, and nowhere else:
// nothing of them may be found in the browser's profile.
import { add } from './images.js';
import { lastEvent, listen, post } from './server.js';

let count = 0; // of the prompts of this window

// turns are the prompts, newest first, each with the further ones of its conversation,
// oldest first. The state of a turn is "runs", "done", "failed" or "stopped".
// agent is the name of the agent that prompts go to, '' for Cascade; unlisted says that it
// has not told its models yet, and listing that it is started for them. offer is an agent
// in Cascade's place, or null. images are those of the draft.
export const session = {
  turns: [], draft: '', images: [], imagesError: '', adding: 0, models: null, model: '', modelsError: '',
  engine: '', agent: '', unlisted: false, listing: false, offer: null,
};

// all are the turns with their further ones.
const all = () => session.turns.flatMap((turn) => [turn, ...turn.further]);

// latest is the turn that was asked last.
export const latest = () => all().reduce((a, b) => (a?.key > b.key ? a : b), null);

let sending = Promise.resolve(); // the prompt whose id is not here yet

// handOver is what a page that comes after this one takes over. It goes through
// the program's memory alone. A prompt that is being sent is handed over with its id,
// without which its answer could not be found.
export async function handOver() {
  await sending;
  return {
    draft: session.draft,
    turns: session.turns.map((turn) => ({ ...packed(turn), further: turn.further.map(packed) })),
    after: lastEvent(),
  };
}

// Each page has a clock of its own.
const packed = ({ started, ...turn }) => ({ ...turn, elapsed: performance.now() - started });
const unpacked = ({ elapsed, ...turn }) => ({ ...turn, started: performance.now() - elapsed });

// takeOver is called before anything is shown.
export function takeOver({ draft = '', turns = [] }) {
  session.draft = draft;
  session.turns = turns.map((turn) => ({ ...unpacked(turn), further: turn.further.map(unpacked) }));
  count = Math.max(0, ...all().map((turn) => turn.key));
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

export function change(values) {
  Object.assign(session, values);
  changed();
}

function changed() {
  for (const watcher of watchers) {
    watcher();
  }
}

export const modelNamed = (uid) => session.models?.find((m) => m.uid === uid);
const labelOf = (uid) => modelNamed(uid)?.label ?? (uid || session.agent);

export const running = () => all().find((turn) => turn.state === 'runs');

const early = new Map(); // what came of a prompt before its id did

const begun = (text, uid) => ({
  key: ++count, id: null, prompt: text, model: uid, label: labelOf(uid), text: '', step: '', state: 'runs',
  sentence: '', answer: null, started: performance.now(), stopping: false,
});

const sent = new WeakMap(); // the images of a turn; they are not handed over

// imagesOf are a turn's images, or null where this page does not have them.
export const imagesOf = (turn) => (turn.images ? sent.get(turn) ?? null : []);

let adding = Promise.resolve();

// addImages reads images into the draft, one lot after another. Nothing is sent meanwhile.
export function addImages(files) {
  session.adding++;
  adding = adding.then(async () => {
    const { images, error } = await add(session.images, files);
    change({ images, imagesError: error, adding: session.adding - 1 });
  });
}

export const removeImage = (image) => change({ images: session.images.filter((other) => other !== image), imagesError: '' });

// ask sends a prompt that stands by itself. It is false if one runs already.
export async function ask(text, uid, images = []) {
  if (running()) {
    return false;
  }
  // open says that its conversation can go on; closed is why it cannot any more.
  const turn = { ...begun(text, uid), further: [], open: false, closing: false, closed: '', draft: '', images: images.length };
  sent.set(turn, images);
  session.turns.unshift(turn);
  await begin(turn, turn);
  return true;
}

// askFurther sends a prompt in the conversation of another one's card. It is false if
// one runs already.
export async function askFurther(card, text) {
  if (running()) {
    return false;
  }
  const turn = { ...begun(text, card.model), label: card.label };
  card.further = [...card.further, turn];
  await begin(turn, card);
  return true;
}

async function begin(turn, card) {
  changed();
  sending = send(turn, card);
  await sending;
}

async function send(turn, card) {
  try {
    const prompt = { text: turn.prompt, model: turn.model };
    const images = imagesOf(turn);
    if (images?.length > 0) {
      prompt.images = images.map((image) => image.data);
    }
    const { id } = await post('/api/ask', card === turn ? prompt : { ...prompt, further: card.id });
    turn.id = id;
    const missed = early.get(id) ?? [];
    early.clear();
    missed.forEach((event) => hear(turn, card, event));
    if (turn.stopping) {
      stop(turn);
    }
  } catch (refusal) {
    Object.assign(turn, { state: 'failed', sentence: refusal.message });
    if (refusal.code === 'conversation_gone') {
      close(card, over);
    }
    giveBack(turn, card);
    changed();
  }
}

const over = 'This conversation is closed.';

// close notes that a card's conversation cannot go on.
const close = (card, words) => Object.assign(card, { open: false, closing: false, closed: words });

// giveBack puts a prompt of which nothing came back into its text box, unless
// something stands there: it need not be written again.
function giveBack(turn, card) {
  const box = turn !== card && card.open ? card : session;
  if (!turn.text && box.draft === '') {
    box.draft = turn.prompt;
    if (box === session && session.images.length === 0) {
      session.images = imagesOf(turn) ?? [];
    }
  }
}

// endConversation asks the server to end the conversation of a card; what it says then
// closes the card.
export async function endConversation(card) {
  card.closing = true;
  changed();
  try {
    await post(`/api/ask/${encodeURIComponent(card.id)}/close`);
  } catch {
    card.closing = false; // the link's line tells why
    changed();
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
  const card = session.turns.find((t) => t.id === event.id || t.further.some((f) => f.id === event.id));
  if (card && event.kind === 'closed') {
    if (card.open) {
      close(card, [event.words || over, event.left && `It is ${event.left}.`].filter(Boolean).join(' '));
      changed();
    }
  } else if (card) {
    hear([card, ...card.further].find((t) => t.id === event.id), card, event);
  } else if (running()?.id === null) {
    early.set(event.id, [...(early.get(event.id) ?? []), event]);
  }
});

function hear(turn, card, event) {
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
      settle(turn, card);
      redraw(turn);
      break;
    case 'failed':
      session.offer = event.offer ?? session.offer;
      Object.assign(turn, {
        state: turn.stopping ? 'stopped' : 'failed', sentence: event.sentence, answer: event.answer ?? null,
        text: event.answer?.text || turn.text,
      });
      settle(turn, card);
      giveBack(turn, card);
      redraw(turn);
      break;
  }
  changed();
}

// settle notes whether a card's conversation can go on after an answer.
function settle(turn, card) {
  if (turn.answer?.open) {
    card.open = true;
  } else if (turn !== card) {
    close(card, over);
  }
}

// A program that has ended ends no answer.
listen('link', (link) => {
  const lost = { ended: 'The window’s session', gone: 'Windsock' }[link];
  if (lost) {
    const turn = running();
    if (turn) {
      Object.assign(turn, { state: 'failed', sentence: `${lost} ended before the answer did.` });
    }
    session.turns.filter((card) => card.open).forEach((card) => close(card, over));
    changed();
  }
});
