import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/**
 * Leaves the page of the component, once its work is done, without asking about unsaved input. A user who has left the
 * page meanwhile stays where they are.
 */
export function useLeave() {
  const navigate = useNavigate();
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const leave: typeof navigate = async (options) => {
    if (isShown.current) await navigate({ ...options, ignoreBlocker: true });
  };
  return leave;
}
