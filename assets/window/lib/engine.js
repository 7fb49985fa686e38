// What answers the prompts of this window: the editor's Cascade, or an agent that a
// person has chosen.
import { post } from './server.js';
import { change, loadModels, session } from './session.js';

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
