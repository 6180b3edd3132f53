/** What the plain text shows behind a link's label; undefined when the label says it, or for no address to go to. */
export function addressBehind(label: string, href: string): string | undefined {
  const target = href.trim();
  if (target === '' || target.startsWith('#') || /^(?:javascript|data|cid):/i.test(target)) return undefined;
  const address = target.replace(/^(?:mailto|tel):([^?]*)$/i, '$1');
  const isShown = label === address || label === address.replace(/^https?:\/\//, '');
  return isShown ? undefined : address;
}
