import { lazyRouteComponent } from '@tanstack/react-router';

/** The server can't be reached, or it has a newer version, whose files have other names. */
export class MissingCode extends Error {
  constructor(cause: unknown) {
    super('The server could not be reached. Check the connection and try again.', { cause });
  }
}

/**
 * A component whose code is a file of its own. Loads when it is first drawn, or before that by `preload`; drawing it throws
 * {@link MissingCode} if that failed.
 */
export const lazyComponent: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch((cause: unknown) => {
        throw new MissingCode(cause);
      }),
    name,
  );
