import type { ReactElement } from 'react';
import { Tooltip as AriaTooltip, TooltipTrigger } from 'react-aria-components/Tooltip';

/** `children` must be one focusable react-aria element. */
export function Tooltip({ text, children }: { text: string; children: ReactElement }) {
  return (
    <TooltipTrigger delay={400} closeDelay={0}>
      {children}
      <AriaTooltip
        offset={6}
        className="max-w-72 rounded-md bg-ink px-2 py-1 text-xs text-canvas shadow-overlay"
      >
        {text}
      </AriaTooltip>
    </TooltipTrigger>
  );
}
