import type { CSSProperties } from 'react';

/** More lines than any window shows. */
const shownLines = 100;

/** Placeholder for the HTML editor while it loads: the same text with CodeMirror's dimensions. */
export function PlainCode({ value }: { value: string }) {
  const lines = value.split('\n');
  const digits = String(lines.length).length;
  const style: CSSProperties & Record<`--${string}`, string> = {
    '--numbers': `max(20px, ${digits}ch + 8px)`,
    '--gutters': 'calc(var(--numbers) + 1.4em + 1px)',
  };
  return (
    <div
      aria-hidden
      style={style}
      className="h-full overflow-auto bg-canvas font-mono text-[13px] leading-5 text-ink"
    >
      <div className="relative min-h-full py-2">
        <div className="absolute inset-y-0 left-0 w-(--gutters) border-r border-line bg-sunken" />
        {lines.slice(0, shownLines).map((line, index) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key
            key={index}
            className="relative pr-0.5 pl-[calc(var(--gutters)+6px)] break-words whitespace-break-spaces wrap-anywhere"
          >
            <span className="absolute left-0 w-(--numbers) pr-[3px] text-right text-faint">{index + 1}</span>
            {line === '' ? '\u200B' : line}
          </div>
        ))}
      </div>
    </div>
  );
}
