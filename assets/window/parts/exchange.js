// One prompt's answer, what it cost, and what can be done with it.
import { html, Component } from '../lib/render.js';
import { copy } from '../lib/copy.js';

// loadAnswer fetches the parts that draw Markdown. They are the larger half of the
// page, and the text box does not wait for them.
export const loadAnswer = () => import('./answer.js');

export class Exchange extends Component {
  state = { Answer: null, copied: '' };

  componentDidMount() {
    loadAnswer().then(({ Answer }) => this.setState({ Answer }));
    this.tick = setInterval(() => {
      if (this.props.turn.state === 'runs') {
        this.setState({});
      }
    }, 1000);
  }

  componentWillUnmount() {
    clearInterval(this.tick);
    clearTimeout(this.copying);
  }

  async copyAnswer() {
    this.setState({ copied: (await copy(this.props.turn.text)) ? 'Copied' : 'Not copied' });
    clearTimeout(this.copying);
    this.copying = setTimeout(() => this.setState({ copied: '' }), 1500);
  }

  // foot says how the turn stands, in one line.
  foot() {
    const { turn } = this.props;
    switch (turn.state) {
      case 'runs': {
        const seconds = Math.floor((performance.now() - turn.started) / 1000);
        const doing = turn.stopping ? 'Stopping' : turn.step ? `${turn.label}: ${turn.step}` : turn.text ? `${turn.label} answers` : `Asking ${turn.label}`;
        return `${doing.replace(/…$/, '')}… ${seconds > 0 ? `${seconds} s` : ''}`;
      }
      case 'stopped':
      case 'failed':
        return [turn.label, turn.model && turn.answer?.by, turn.state === 'stopped' && 'stopped', turn.answer?.took, turn.answer?.cost].filter(Boolean).join(' · ');
      default:
        return [turn.label, turn.model && turn.answer.by, turn.answer.took, turn.answer.cost, turn.answer.left].filter(Boolean).join(' · ');
    }
  }

  // children are more that can be done with it.
  render({ turn, alone, children }, { Answer, copied }) {
    return html`
      ${turn.text && Answer && html`<${Answer} turn=${turn} />`}
      ${turn.state === 'failed' && html`<p class="told bad" role="alert">${turn.sentence}</p>`}
      ${turn.state === 'done' && !turn.text && html`<p class="told">${turn.answer.tool_only
        ? 'The model worked with its tools alone and wrote no answer.' : 'The model wrote no answer.'}</p>`}
      <footer>
        <span class="foot">${turn.state === 'runs' && html`<span class="spin" aria-hidden="true"></span>`}${this.foot()}</span>
        ${turn.state !== 'runs' && html`<span class="actions">
          ${!alone && turn.text && html`<button type="button" class="quiet small" onClick=${() => this.copyAnswer()}>${copied || 'Copy answer'}</button>`}
          ${children}
        </span>`}
      </footer>`;
  }
}
