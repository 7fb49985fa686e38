// Trades the ticket in the address for a session. The ticket leaves the address
// before anything else happens, so that neither a reload nor the way back has it.
const ticket = location.hash.slice(1);
history.replaceState(null, '', location.pathname);

const told = document.getElementById('told');
const again = 'Open the window again from the tray, or with “windsock prompt”.';

async function enter() {
  if (!ticket) {
    told.textContent = `This page opens with a ticket, and the address has none. ${again}`;
    return;
  }
  try {
    const answer = await fetch('/enter', {
      method: 'POST',
      body: new URLSearchParams({ t: ticket }),
      cache: 'no-store',
      redirect: 'error',
    });
    if (answer.ok) {
      location.replace('/');
      return;
    }
    told.textContent = `This ticket was used already, or is too old. ${again}`;
  } catch {
    told.textContent = `Windsock does not answer. ${again}`;
  }
}

enter();
