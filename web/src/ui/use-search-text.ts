import { useEffect, useEffectEvent, useState } from 'react';
import { useDebounced } from './use-debounced.ts';

/**
 * The text of a search field that is stored in the URL. Updates the URL after a pause in typing, and follows the URL
 * when a link or the back button changes it.
 *
 * @param value from the URL
 */
export function useSearchText(
  value: string | undefined,
  onChange: (value: string | undefined) => void,
  isSearchable: (text: string) => boolean = () => true,
) {
  const [text, setText] = useState(value ?? '');
  const [seen, setSeen] = useState(value);
  // The URL catches up with the typed text after a delay, when the user may have typed more.
  const [asked, setAsked] = useState(value);
  if (value !== seen) {
    setSeen(value);
    if (value !== asked) {
      setAsked(value);
      setText(value ?? '');
    }
  }
  const settled = useDebounced(text.trim());
  const ask = useEffectEvent((wanted: string | undefined) => {
    if (wanted === asked || (wanted !== undefined && !isSearchable(wanted))) return;
    setAsked(wanted);
    onChange(wanted);
  });
  useEffect(() => ask(settled || undefined), [settled]);
  return [text, setText] as const;
}
