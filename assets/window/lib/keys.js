// The names of keys on this computer.
const apple = /Mac|iPhone|iPad/.test(navigator.platform);

// sendKeys send a prompt.
export const sendKeys = apple ? '⌘↩' : 'Ctrl+Enter';
