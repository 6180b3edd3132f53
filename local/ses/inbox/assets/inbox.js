// Keeps the list fresh while the page is visible. Everything works without it.
const live = document.getElementById('live');

async function refresh() {
  if (live === null || document.hidden) return;
  const response = await fetch(location.href);
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const fresh = page.getElementById('live');
  if (fresh === null || fresh.innerHTML === live.innerHTML) return;
  const focused = live.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
  live.replaceChildren(...fresh.childNodes);
  document.title = page.title;
  const buttons = [document, page].map((root) => root.querySelector('.title button'));
  if (buttons[0] && buttons[1]) buttons[0].disabled = buttons[1].disabled;
  if (focused !== null) live.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
}

if (live !== null) setInterval(() => refresh().catch(() => {}), 2000);
