const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** An image that is never wider than the email. */
export const imageMarkup = (url: string, alternativeText: string): string =>
  `<img src="${escaped(url)}" alt="${escaped(alternativeText)}" style="max-width: 100%;">`;
