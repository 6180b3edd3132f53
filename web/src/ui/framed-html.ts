// In a frame without permissions, links that open elsewhere do nothing.
const still = '<base target="_blank">';
// What mail clients do in dark mode with an email that sets no colors.
const dark = '<style>:root{color-scheme:dark}</style>';

/** The HTML of an email, ready for a sandboxed frame. */
export function framedHtml(html: string, { isDark }: { isDark: boolean }): string {
  const added = isDark ? still + dark : still;
  const head = /<head\b[^>]*>/i.exec(html) ?? /<html\b[^>]*>/i.exec(html) ?? /<!doctype\b[^>]*>/i.exec(html);
  if (head === null) return added + html;
  const at = head.index + head[0].length;
  return html.slice(0, at) + added + html.slice(at);
}
