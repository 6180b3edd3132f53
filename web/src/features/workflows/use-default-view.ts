import { useSyncExternalStore } from 'react';

const narrow = window.matchMedia('(max-width: 767px)');

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
}

/** The canvas is too wide for phones, so they get the list. */
export function useDefaultView(): 'canvas' | 'outline' {
  return useSyncExternalStore(subscribe, () => narrow.matches) ? 'outline' : 'canvas';
}
