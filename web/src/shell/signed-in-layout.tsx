import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { whenSignedOut } from '../api/client.ts';
import { OutageNote } from './outage-note.tsx';
import { useKeptFocus } from './use-kept-focus.ts';

const SessionEnded = lazy(() => import('./session-ended.tsx'));

/** All pages that need a session. */
export function SignedInLayout() {
  const [isOver, setIsOver] = useState(false);
  useKeptFocus();
  useEffect(() => whenSignedOut(() => setIsOver(true)), []);
  return (
    <>
      <Outlet />
      <OutageNote />
      {isOver && (
        <Suspense>
          <SessionEnded onClose={() => setIsOver(false)} />
        </Suspense>
      )}
    </>
  );
}
