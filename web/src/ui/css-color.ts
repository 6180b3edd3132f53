/** @returns `#rrggbb`, as color inputs need it; black for what is no opaque color */
export function toHex(color: string): string {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return '#000000';
  // What it does not know leaves it black.
  context.fillStyle = color;
  return /^#[0-9a-f]{6}$/.test(String(context.fillStyle)) ? String(context.fillStyle) : '#000000';
}
