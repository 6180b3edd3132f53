import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** Whether the component is still shown, for work that ends later. */
export function useIsShown(): () => boolean {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return () => isShown.current;
}

/** Opens another page once work is done. A user who has left the page of the component meanwhile stays where they are. */
export function useOpen() {
  const navigate = useNavigate();
  const isShown = useIsShown();
  const open: typeof navigate = async (options) => {
    if (isShown()) await navigate(options);
  };
  return open;
}

/** The same for a page that is done: does not ask about unsaved input, and the back button does not return to it. */
export function useLeave() {
  const open = useOpen();
  const leave: typeof open = (options) => open({ ...options, ignoreBlocker: true, replace: true });
  return leave;
}
