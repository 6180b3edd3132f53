import { useEffect } from 'react';

/** An element, and what stood beside it. */
interface Place {
  element: Element;
  beside: (Element | null)[];
}

/**
 * When what had the focus is gone, such as a deleted row or the button of a page that was left, gives it to what has
 * taken its place, else to the page. Otherwise the next Tab begins at the top of the document.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    const root = document.getElementById('root');
    const stop = new AbortController();
    /** What had the focus last below all dialogs, and all that it stood in. */
    let places: Place[] = [];
    let isHeld = false;
    const isLost = () => isHeld && document.activeElement === document.body;
    const onFocus = ({ target }: Event) => {
      isHeld = true;
      if (target instanceof Element && root?.contains(target)) places = placesOf(target, root);
    };
    // Who presses on what takes no focus wants none.
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
      // A closing dialog gives the focus back in the next frame.
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

/** From the inside out. */
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

/** A toast is an alertdialog, which takes no focus of itself. */
const lastDialog = () => [...document.querySelectorAll<HTMLElement>('[role="dialog"]')].at(-1);

/** What had the focus, or the first control beside the outermost part of it that is gone. */
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
