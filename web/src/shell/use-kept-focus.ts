import { useEffect } from 'react';

/** An element and its siblings. */
interface Place {
  element: Element;
  beside: (Element | null)[];
}

/**
 * When the focused element disappears, such as a deleted row or the button of the previous page, moves the focus to the
 * element that took its place, or else to the page. Otherwise the next Tab would start at the top of the document.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    const root = document.getElementById('root');
    const stop = new AbortController();
    /** The element outside dialogs that had the focus last, with its ancestors. */
    let places: Place[] = [];
    let isHeld = false;
    const isLost = () => isHeld && document.activeElement === document.body;
    const onFocus = ({ target }: Event) => {
      isHeld = true;
      if (target instanceof Element && root?.contains(target)) places = placesOf(target, root);
    };
    // Pressing on something that can't be focused means that the user wants no focus.
    const onPress = ({ target }: Event) => {
      isHeld = false;
      if (target instanceof Element && root?.contains(target)) places = [];
    };
    const restore = () => {
      if (!isLost()) return;
      const target = lastDialog() ?? survivorOf(places) ?? document.getElementById('content');
      target?.focus({ preventScroll: true });
      if (isLost()) document.getElementById('content')?.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(() => {
      // A closing dialog restores the focus in the next frame.
      if (isLost()) requestAnimationFrame(() => requestAnimationFrame(restore));
    });
    document.addEventListener('focusin', onFocus, stop);
    document.addEventListener('pointerdown', onPress, { capture: true, signal: stop.signal });
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      stop.abort();
      observer.disconnect();
    };
  }, []);
}

/** From the innermost element to the outermost. */
function placesOf(focused: Element, root: Element): Place[] {
  const places: Place[] = [];
  for (
    let element: Element | null = focused;
    element !== null && element !== root;
    element = element.parentElement
  )
    places.push({ element, beside: [element.nextElementSibling, element.previousElementSibling] });
  return places;
}

/** A toast is an alertdialog that does not take the focus. */
const lastDialog = () => [...document.querySelectorAll<HTMLElement>('[role="dialog"]')].at(-1);

/** The element that had the focus or, if it is gone, the first control near its outermost removed ancestor. */
function survivorOf(places: readonly Place[]): HTMLElement | undefined {
  const left = places.findIndex(({ element }) => element.isConnected);
  if (left === 0) return places[0]?.element as HTMLElement;
  const beside = places[left - 1]?.beside.filter((element) => element?.isConnected) ?? [];
  return beside.map(firstControl).find((control) => control !== undefined);
}

const controls = 'a[href], button:enabled, input:enabled, textarea:enabled, [tabindex="0"]';

const firstControl = (element: Element | null) =>
  element?.matches(controls)
    ? (element as HTMLElement)
    : (element?.querySelector<HTMLElement>(controls) ?? undefined);
