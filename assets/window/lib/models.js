// The models that can be asked, and what answers: the editor's Cascade, or an agent that a
// person has chosen.
import { Latest, get, listen, post } from './server.js';
import { change, modelNamed, session } from './session.js';

// store is the key of the choice that a reload finds again. It goes with the origin's port;
// what is kept from one window to the next, the server knows.
const store = () => (session.agent ? `windsock.model.${session.engine}` : 'windsock.model');

const loads = new Latest();

// loadModels gets the models of the engine. An agent's are those that it told last, unless
// it is to be started for them.
export function loadModels({ start = false } = {}) {
  change({ listing: start });
  loads.take(get(start ? '/api/models?start=1' : '/api/models'), (told) => {
    const { models, default: standard, last, engine = 'cascade', name: agent = '', unlisted = false } = told;
    const before = engine === session.engine ? session.model : '';
    change({ engine, agent, unlisted, listing: false });
    const usable = (uid) => models.some((m) => m.uid === uid && !m.disabled);
    const model = [before, localStorage.getItem(store()), last, standard].find(usable) ?? '';
    change({ models, model, modelsError: '' });
  }, (refusal) => change({ models: start ? session.models : null, modelsError: refusal.message, listing: false }));
}

export function choose(uid) {
  change({ model: uid });
  // A private model's name is for no disk.
  if (uid.startsWith('MODEL_PRIVATE')) {
    localStorage.removeItem(store());
  } else {
    localStorage.setItem(store(), uid);
  }
}

// askable reports whether prompts have a model to go to: an agent that has not told its
// models takes its own.
export const askable = () => modelNamed(session.model) || session.unlisted;

// chooseEngine keeps a choice in the settings. It returns what kept it from that, or ''.
export async function chooseEngine(engine) {
  try {
    await post('/api/engine', { engine });
  } catch (refusal) {
    return refusal.message;
  }
  change({ offer: null });
  loadModels();
  return '';
}

// engineTold is a line on the engine for people; '' for Cascade.
export const engineTold = () => (session.agent ? `Prompts go to ${session.agent}.` : '');

// An agent tells its models with its first answer.
listen('ask', ({ kind }) => kind === 'done' && session.unlisted && loadModels());

// Another engine may have been chosen.
listen('settings', () => loadModels());

let wasLive = true; // the figures, when they last came

// What a program that has ended said of the editor counts no more.
listen('link', (link) => {
  if (link === 'ended' || link === 'gone') {
    wasLive = false;
    change({ modelsError: '' });
  } else if (link === 'up' && session.modelsError) {
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
