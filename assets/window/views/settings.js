// The settings view: every key of the configuration file, what the system does at
// login, warnings, and where Windsock keeps its files.
import { html, Component, names } from '../lib/render.js';
import { Latest, get, listen, post } from '../lib/server.js';
import { Consent } from '../parts/consent.js';
import { Field, read, same, written } from '../parts/field.js';

const sections = { usage: 'Figures', tray: 'Tray', alerts: 'Warnings', chat: 'Prompts', prompt: 'A key for the prompt', log: 'Log', api: 'Local API', antigravity: 'Antigravity' };

export class Settings extends Component {
  // boxes are what stands in each key's box, where it is not the file's value.
  state = { settings: null, problem: '', boxes: {}, errors: {}, saved: '', asking: false, note: '' };

  loads = new Latest();

  checks = new Latest();

  componentDidMount() {
    this.unlisten = listen('settings', () => this.load());
    this.load();
  }

  componentWillUnmount() {
    this.unlisten();
    clearTimeout(this.waiting);
  }

  load() {
    return this.loads.take(
      get('/api/settings'),
      (settings) => this.setState({ settings, problem: '' }),
      (refusal) => this.setState({ problem: refusal.message }),
    );
  }

  keys() {
    return this.state.settings?.sections.flatMap((section) => section.keys) ?? [];
  }

  // changes are the values that a save would write.
  changes() {
    const { boxes } = this.state;
    return Object.fromEntries(this.keys()
      .filter((key) => key.key in boxes)
      .map((key) => [key.key, read(key, boxes[key.key]), key.value])
      .filter(([, value, before]) => !same(value, before)));
  }

  write(key, box) {
    this.setState(({ boxes }) => ({ boxes: { ...boxes, [key.key]: box }, saved: '', asking: false }));
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.check(), 250);
  }

  check() {
    this.checks.take(
      post('/api/settings/check', { values: this.changes() }),
      ({ errors }) => this.setState({ errors: errors ?? {} }),
      (refusal) => this.setState({ problem: refusal.message }),
    );
  }

  // stopChecks is for when the boxes are emptied: what was asked of them counts no more.
  stopChecks() {
    clearTimeout(this.waiting);
    this.checks.drop();
  }

  discard() {
    this.stopChecks();
    this.setState({ boxes: {}, errors: {} });
  }

  async save(lose) {
    this.stopChecks();
    const values = this.changes();
    try {
      await post('/api/settings', { values, lose_comments: lose });
      this.setState({ boxes: {}, errors: {}, asking: false, problem: '', saved: 'Saved.' });
      await this.load();
    } catch (refusal) {
      if (refusal.code === 'comments') {
        this.setState({ asking: true });
      } else if (refusal.status === 422) {
        this.setState({ errors: refusal.body?.errors ?? {}, problem: refusal.body?.errors ? '' : refusal.message });
      } else {
        this.setState({ problem: refusal.message });
      }
    }
  }

  // act does one of the things that are no keys of the file.
  async act(path, body, note) {
    try {
      await post(path, body);
      this.setState({ note, problem: '' });
    } catch (refusal) {
      this.setState({ note: '', problem: refusal.message });
    }
    await this.load();
  }

  alerts({ mutes }) {
    return html`
      <div class="row"><button type="button" class="quiet" onClick=${() => this.act('/api/notify/test', {}, 'A test notification is on its way. If none comes, notifications are off in the system’s settings.')}>Send a test notification</button></div>
      ${this.state.note && html`<p class="told" role="status">${this.state.note}</p>`}
      ${mutes.map((m) => html`<div class="field inline" key=${`${m.plan} ${m.meter}`}><label for="mute-${m.plan}-${m.meter}">Mute ${m.label}</label>
        <input type="checkbox" role="switch" class="switch" id="mute-${m.plan}-${m.meter}" aria-describedby="mute-${m.plan}-${m.meter}-help" checked=${m.muted}
          onChange=${(e) => this.act('/api/mutes', { plan: m.plan, meter: m.meter, muted: e.target.checked }, '')} />
        <p class="help" id="mute-${m.plan}-${m.meter}-help">${m.until ? `No warnings about it until ${m.until}.` : 'No warnings about it until its reset.'} Takes effect at once.</p></div>`)}`;
  }

  tray({ autostart }) {
    const never = this.props.hello.demo ? 'Not in the demo.' : 'Windsock does not know how to do this on this system.';
    return html`<div class="field inline"><label for="autostart">Start at login</label>
      <input type="checkbox" role="switch" class="switch" id="autostart" aria-describedby="autostart-help" checked=${autostart.on} disabled=${!autostart.available}
        onChange=${(e) => this.act('/api/autostart', { on: e.target.checked }, '')} />
      <p class="help" id="autostart-help">${autostart.available ? 'Takes effect at once.' : never}</p></div>`;
  }

  render(_, { settings, problem, boxes, errors, saved, asking }) {
    const { version } = this.props.hello;
    if (!settings) {
      return html`<section class="settings" aria-label="Settings">${problem && html`<p class="told bad" role="alert">${problem}</p>`}</section>`;
    }
    const changes = Object.keys(this.changes()).length;
    const wrong = Object.keys(errors).length > 0;
    return html`<section class="settings" aria-label="Settings">
      ${settings.problem && html`<p class="told bad" role="alert">${settings.problem}</p>`}
      <form autocomplete="off" onSubmit=${(e) => { e.preventDefault(); if (changes > 0 && !wrong) { this.save(false); } }}>
        ${settings.sections.map((section) => html`<fieldset key=${section.name}><legend>${sections[section.name] ?? section.name}</legend>
          ${section.keys.map((key) => html`<${Field} key=${key.key} of=${key} value=${boxes[key.key] ?? written(key.value)} error=${errors[key.key]}
            onChange=${(box) => this.write(key, box)} />`)}
          ${section.name === 'tray' && this.tray(settings)}
          ${section.name === 'alerts' && this.alerts(settings)}
          ${section.name === 'prompt' && settings.shortcut.text && html`<p class=${names('told', settings.shortcut.failed && 'bad')} role="status">${settings.shortcut.text}</p>`}
        </fieldset>`)}
        <div class="save">
          ${problem && html`<p class="told bad" role="alert">${problem}</p>`}
          ${asking
            ? html`<div class="told warn" role="alertdialog" aria-label="Comments would be lost"><p>If you save here, the file is written anew, without your comments and without what cannot be read in it.</p>
                <button type="button" class="danger" onClick=${() => this.save(true)}>Save and lose them</button>
                <button type="button" class="quiet" onClick=${() => this.setState({ asking: false })}>Keep the file</button></div>`
            : html`<p class="state" role="status">${wrong ? 'Something is not right yet; see above.' : saved || (changes > 0 ? `${changes === 1 ? 'One change' : `${changes} changes`} not saved.` : 'Everything is saved.')}</p>
              <button type="button" class="quiet" disabled=${changes === 0} onClick=${() => this.discard()}>Discard</button>
              <button type="submit" class="primary" disabled=${changes === 0 || wrong}>Save</button>`}
        </div>
      </form>
      <${Consent} wish=${this.props.wish} />
      <section class="places"><h2>Where things are</h2>
        <dl>${settings.places.map((p) => html`<div><dt>${p.what}</dt><dd>${p.path}</dd></div>`)}</dl>
        <p class="aside">Windsock ${version}</p>
      </section>
    </section>`;
  }
}
