// Controls that several views have.
import { html, names } from '../lib/render.js';

export const Again = ({ onClick }) => html`<button type="button" class="quiet small" onClick=${onClick}>Try again</button>`;

// Choice is a choice of one; options are pairs of a value and its label.
export const Choice = ({ legend, name, options, chosen, choose }) => html`<fieldset class="choice"><legend class="unseen">${legend}</legend>
  ${options.map(([value, label]) => html`<label class=${names(value === chosen && 'on')}>
    <input type="radio" name=${name} value=${value} checked=${value === chosen} onChange=${() => choose(value)} />${label}</label>`)}
</fieldset>`;
