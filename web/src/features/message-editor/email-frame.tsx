import { useRef } from 'react';
import { classNames } from '../../ui/class-names.ts';
import { framedHtml } from '../../ui/framed-html.ts';
import { SandboxedFrame } from '../../ui/sandboxed-frame.tsx';
import { useWidth } from '../../ui/use-width.ts';

/** Pixels. Emails are designed for windows at least this wide. */
const desktopWidth = 700;

interface EmailFrameProps {
  html: string;
  isDark: boolean;
  /** Scales a desktop-wide window down to the available space. */
  isDesktop: boolean;
}

export function EmailFrame({ html, isDark, isDesktop }: EmailFrameProps) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const scale = isDesktop && width > 0 ? Math.min(1, width / desktopWidth) : 1;
  const side = `${100 / scale}%`;
  return (
    <div ref={place} className="h-full overflow-hidden">
      <SandboxedFrame
        // What is shown still has the colors of the other background.
        key={String(isDark)}
        title="Preview of the email"
        html={framedHtml(html, { isDark })}
        className={classNames('max-w-none', isDark ? 'bg-black scheme-dark' : 'bg-white scheme-light')}
        style={{ width: side, height: side, transform: `scale(${scale})`, transformOrigin: '0 0' }}
      />
    </div>
  );
}
