import { X } from 'lucide-react';
import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import {
  UNSTABLE_Toast as AriaToast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components/Toast';
import { messageOf } from '../api/api-error.ts';
import { IconButton } from './button.tsx';

interface Message {
  text: string;
  isBad: boolean;
  undo?: () => void;
}

const queue = new ToastQueue<Message>({ maxVisibleToasts: 3 });

/** Shows a toast that confirms an action; `undo` reverts it. */
export function say(text: string, undo?: () => void): void {
  queue.add({ text, isBad: false, ...(undo && { undo }) }, { timeout: undo ? 8_000 : 5_000 });
}

/**
 * A toast that stays until it is closed, at most for as long as the component does, because `restore` brings back input
 * that is stored nowhere.
 */
export function useReplacedToast() {
  const key = useRef<string | null>(null);
  const close = useCallback(() => {
    if (key.current !== null) queue.close(key.current);
    key.current = null;
  }, []);
  useEffect(() => close, [close]);
  return {
    close,
    show(text: string, restore: () => void) {
      close();
      key.current = queue.add({ text, isBad: false, undo: restore });
    },
  };
}

export function sayError(error: unknown): void {
  queue.add({ text: messageOf(error), isBad: true }, { timeout: 10_000 });
}

/** Such as those about records, once the user has signed out. */
export const dismissToasts = (): void => queue.clear();

/**
 * Tells the region that the focus has left it: browsers send no `focusout` when a focused toast is removed. The region
 * would still take that toast for focused, and move the focus from a field to another toast when a later one ends.
 */
function useLeaving() {
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const leave = ({ target }: FocusEvent) => {
      if (target instanceof Node && region.current?.contains(target) === false)
        region.current.dispatchEvent(new FocusEvent('focusout', { bubbles: true }));
    };
    document.addEventListener('focusin', leave);
    return () => document.removeEventListener('focusin', leave);
  }, []);
  return region;
}

export function Toasts() {
  const region = useLeaving();
  const hasToasts = useSyncExternalStore(
    (listener) => queue.subscribe(listener),
    () => queue.visibleToasts.length > 0,
  );
  if (!hasToasts) return null;
  return (
    <ToastRegion
      ref={region}
      queue={queue}
      className="fixed right-4 bottom-4 z-50 max-sm:left-4 flex flex-col gap-2 outline-none"
    >
      {({ toast }) => (
        <AriaToast
          toast={toast}
          className="flex max-w-sm items-center gap-3 rounded-lg bg-raised py-2 pr-2 pl-4 shadow-overlay"
        >
          <ToastContent className="min-w-0 flex-1">
            <span slot="title" className={toast.content.isBad ? 'text-bad' : ''}>
              {toast.content.text}
            </span>
          </ToastContent>
          {toast.content.undo && (
            <AriaButton
              className="font-medium text-accent-text"
              onPress={() => {
                toast.content.undo?.();
                queue.close(toast.key);
              }}
            >
              Undo
            </AriaButton>
          )}
          <IconButton label="Dismiss" slot="close">
            <X className="size-4" />
          </IconButton>
        </AriaToast>
      )}
    </ToastRegion>
  );
}
