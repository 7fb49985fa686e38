// Blocks of code: their language, its colours, and a button that copies them.
import { purifySpans } from './markdown.js';
import { copyButton } from '../lib/copy.js';
import { show, shown } from './hidden.js';

const core = import('../vendor/highlightjs/core.min.js').then((module) => module.default);

// files are the languages that there are, each with what else it goes by.
const files = {
  bash: 'bash sh shell zsh console terminal shellsession', c: 'c h', cpp: 'cpp c++ cc cxx hpp hh', csharp: 'csharp cs c#', css: 'css scss less',
  diff: 'diff patch', dockerfile: 'dockerfile docker containerfile', go: 'go golang', ini: 'ini toml conf cfg properties',
  java: 'java', javascript: 'javascript js jsx mjs cjs', json: 'json jsonc json5', kotlin: 'kotlin kt kts',
  makefile: 'makefile make mk', markdown: 'markdown md', php: 'php', powershell: 'powershell ps1 pwsh', python: 'python py py3',
  ruby: 'ruby rb', rust: 'rust rs', sql: 'sql postgresql mysql sqlite', swift: 'swift', typescript: 'typescript ts tsx mts',
  xml: 'xml html xhtml svg vue', yaml: 'yaml yml',
};
const byName = new Map(Object.entries(files).flatMap(([file, list]) => list.split(' ').map((name) => [name, file])));

// most is as much code as is coloured. The time for hostile code grows with its square.
const most = 20_000;

let highlighter;
const loaded = new Map();

// load fetches a language once.
function load(file) {
  if (!loaded.has(file)) {
    loaded.set(file, Promise.all([core, import(`../vendor/highlightjs/languages/${file}.min.js`)]).then(([hljs, language]) => {
      highlighter = hljs;
      hljs.registerLanguage(file, language.default);
    }));
  }
  return loaded.get(file);
}

function paint(code, text, file) {
  code.replaceChildren(purifySpans(highlighter.highlight(text, { language: file, ignoreIllegals: true }).value));
  show(code);
}

// dress gives every block of code in a fragment its head and its colours. A block
// whose language is not here yet gets them when it is. What is copied is what the
// model wrote, with the characters that are only shown.
export function dress(fragment) {
  for (const pre of fragment.querySelectorAll('pre')) {
    const code = pre.querySelector('code');
    if (!code) {
      continue;
    }
    const text = code.textContent;
    const language = /(?:^| )language-(\S+)/.exec(code.className)?.[1] ?? '';
    const frame = document.createElement('div');
    const head = document.createElement('div');
    const label = document.createElement('span');
    frame.className = 'code';
    head.className = 'code-head';
    label.textContent = language;
    head.append(label, copyButton('Copy', 'Copy this code', () => text));
    pre.replaceWith(frame);
    pre.tabIndex = 0;
    pre.setAttribute('role', 'group');
    pre.setAttribute('aria-label', language ? `Code, ${shown(language)}` : 'Code');
    frame.append(head, pre);
    const file = byName.get(language.toLowerCase());
    if (!file || text.length > most) {
      continue;
    }
    if (highlighter?.getLanguage(file)) {
      paint(code, text, file);
    } else {
      // Each by itself, so that many do not hold the page up; and plain is readable as well.
      load(file).then(() => setTimeout(() => paint(code, text, file)), () => {});
    }
  }
}
