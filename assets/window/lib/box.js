// What the text boxes for prompts share.
const apple = /Mac|iPhone|iPad/.test(navigator.platform);

// sendKeys are the keys that send a prompt, by their names on this computer.
export const sendKeys = apple ? '⌘↩' : 'Ctrl+Enter';

// sends reports whether a key that was pressed is one of them.
export const sends = (event) => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.isComposing;

// fit makes a box as high as its text, up to what the style sheet allows.
export function fit(box) {
  box.style.height = 'auto';
  box.style.height = `${box.scrollHeight + 2}px`;
}
