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

/**
 * Leaves the page of the component, once its work is done, without asking about unsaved input. A user who has left the
 * page meanwhile stays where they are.
 */
export function useLeave() {
  const navigate = useNavigate();
  const isShown = useIsShown();
  const leave: typeof navigate = async (options) => {
    if (isShown()) await navigate({ ...options, ignoreBlocker: true });
  };
  return leave;
}
