// Requests to the program, and the stream of what it tells. Nothing here knows
// what the answers mean.

const unreachable = 'Windsock does not answer. Check that it still runs.';
const ended = 'This window’s session is over. Open it again from the tray, or with “windsock prompt”.';

// Refusal is an answer that is an error. Its message is a sentence for a person.
class Refusal extends Error {
  constructor(status, code, sentence, body) {
    super(sentence);
    Object.assign(this, { status, code, body });
  }
}

async function call(method, path, body) {
  // The answers themselves say that they are for no cache.
  const request = { method, mode: 'cors', credentials: 'same-origin' };
  if (body !== undefined) {
    request.headers = { 'Content-Type': 'application/json' };
    request.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, request);
  } catch {
    throw new Refusal(0, 'unreachable', unreachable);
  }
  const data = await answer.json().catch(() => null);
  if (answer.ok) {
    return data;
  }
  if (answer.status === 401) {
    throw new Refusal(401, 'ended', ended);
  }
  const error = data?.error ?? {};
  throw new Refusal(answer.status, error.code ?? '', error.sentence ?? `Windsock could not do that (${answer.status}).`, data);
}

export const get = (path) => call('GET', path);
export const post = (path, body = {}) => call('POST', path, body);

// Latest is for requests of which the last one counts: what comes of an earlier one
// after that is left out.
export class Latest {
  turn = 0;

  async take(request, taken, refused) {
    const turn = ++this.turn;
    let told;
    try {
      const answer = await request;
      told = () => taken(answer);
    } catch (refusal) {
      told = () => refused(refusal);
    }
    if (turn === this.turn) {
      told();
    }
  }

  // drop leaves out what is on its way.
  drop() {
    this.turn++;
  }
}

// query makes the part of an address behind the question mark.
export const query = (values) => new URLSearchParams(values).toString();

const told = ['usage', 'spend', 'view', 'ask', 'clean', 'settings', 'moved'];
const ears = new Map();

// listen has a function called with each event of a name, until the function it
// returns is called. The names are the stream's, and "link": "up", "down", "gone"
// or "ended", as the stream stands.
export function listen(name, ear) {
  const list = ears.get(name) ?? new Set();
  ears.set(name, list.add(ear));
  return () => list.delete(ear);
}

function tell(name, data) {
  for (const ear of ears.get(name) ?? []) {
    ear(data);
  }
}

let unanswered = 0; // tries in a row
let last = '0'; // the number of the last event

// lastEvent is the number of the last event that was told of.
export const lastEvent = () => last;

// connect opens the stream and keeps it open until it says that it is over. taken
// is, at first, the page where this one goes on and the last event that was told of
// there. The browser tries again by itself after a connection is lost, but not after an answer
// that is an error. A program that hangs leaves a try without an end; where each
// fails, nobody listens.
export function connect(taken) {
  const stream = new EventSource(taken ? `/api/events?${query(taken)}` : '/api/events');
  stream.onopen = () => {
    unanswered = 0;
    tell('link', 'up');
  };
  stream.onerror = async () => {
    if (unanswered < 2) {
      tell('link', 'down');
    }
    const closed = stream.readyState === EventSource.CLOSED;
    try {
      await get('/api/hello');
      unanswered = 0;
    } catch (refusal) {
      if (closed && (refusal.status === 401 || refusal.status === 403)) {
        tell('link', 'ended');
        return;
      }
      unanswered = refusal.status === 0 ? unanswered + 1 : 0;
      if (unanswered === 2) {
        tell('link', 'gone');
      }
    }
    if (closed) {
      setTimeout(() => connect({ after: last }), 1000);
    }
  };
  for (const name of told) {
    stream.addEventListener(name, (event) => {
      last = event.lastEventId || last;
      tell(name, JSON.parse(event.data));
    });
  }
  stream.addEventListener('over', (event) => {
    stream.close(); // or the browser would come again
    tell('link', JSON.parse(event.data).quit ? 'gone' : 'ended');
  });
}
