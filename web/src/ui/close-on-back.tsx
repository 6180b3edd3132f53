import { useBlocker } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** What is open, in the order of opening. */
const open: symbol[] = [];

/** Whether this step in the history closes what is open, and so leaves nothing. */
export const closesDialog = (action: string): boolean => action === 'BACK' && open.length > 0;

/** In what covers the page without being in its address: the back button closes that first. */
export function CloseOnBack({ onClose }: { onClose: () => void }) {
  const [self] = useState(() => Symbol('open'));
  useEffect(() => {
    open.push(self);
    return () => {
      open.splice(open.indexOf(self), 1);
    };
  }, [self]);
  useBlocker({
    shouldBlockFn({ action }) {
      if (!closesDialog(action) || open.at(-1) !== self) return false;
      onClose();
      return true;
    },
    enableBeforeUnload: false,
  });
  return null;
}
