export const defaultBrandColor = '#1d4ed8';

const brandColor = /^#[0-9a-f]{6}$/;

/** Accepts `#rrggbb` in lower case only, so that a stored color can't inject CSS. */
export function isBrandColor(text: string): boolean {
  return brandColor.test(text);
}

export function contrastRatio(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

export function textColorOn(color: string): '#000000' | '#ffffff' {
  return contrastRatio(color, '#000000') > contrastRatio(color, '#ffffff') ? '#000000' : '#ffffff';
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
