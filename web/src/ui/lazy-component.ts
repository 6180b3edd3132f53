import { lazyRouteComponent } from '@tanstack/react-router';

/** Thrown when the server can't be reached, or has been upgraded and no longer has the files of this version. */
export class MissingCode extends Error {
  constructor(cause: unknown) {
    super('The server could not be reached. Check the connection and try again.', { cause });
  }
}

/**
 * A component in its own bundle. It loads when it is first drawn, or earlier by `preload`; if loading failed, drawing
 * it throws {@link MissingCode}.
 */
export const lazyComponent: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch((cause: unknown) => {
        throw new MissingCode(cause);
      }),
    name,
  );
