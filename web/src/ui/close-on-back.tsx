import { useBlocker } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** The open dialogs, in the order in which they opened. */
const open: symbol[] = [];

/** Whether this navigation only closes an open dialog and stays on the page. */
export const closesDialog = (action: string): boolean => action === 'BACK' && open.length > 0;

/** For overlays that are not part of the URL: the back button closes them first. */
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
