// Buttons that copy a text.

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

// copyButton is a button that says for a moment that it did. It is made by hand,
// for it stands in what was made from Markdown too.
export function copyButton(label, title, textOf) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet small';
  button.textContent = label;
  button.title = title;
  button.setAttribute('aria-label', title);
  let timer;
  button.addEventListener('click', async () => {
    const done = await copy(textOf());
    button.textContent = done ? 'Copied' : 'Not copied';
    button.setAttribute('aria-label', button.textContent);
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.textContent = label;
      button.setAttribute('aria-label', title);
    }, 1500);
  });
  return button;
}
