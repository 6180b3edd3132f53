import { useRef } from 'react';
import { ApiError } from './api-error.ts';

interface Versioned {
  updatedAt: string;
}

/** With this header the API refuses (409) to change a record that is no longer at the version that the user saw. */
export const ifMatch = ({ updatedAt }: Versioned) => ({ 'if-match': `"${updatedAt}"` });

/** Whether a save was refused because the record has changed since it was read; `details.updatedAt` is its version. */
export const isStale = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status === 409 && typeof error.details.updatedAt === 'string';

type Write = (header: ReturnType<typeof ifMatch>) => Promise<{ data?: Versioned | undefined }>;

/**
 * Saves a record only if it has not changed since the form opened, so that nobody overwrites another user's change
 * unseen. After such a refusal, saving again overwrites it.
 *
 * @param what names the record in the error message: "this segment"
 */
export function useIfMatch(opened: Versioned, what: string): (write: Write) => Promise<void> {
  const seen = useRef(opened.updatedAt);
  return async (write) => {
    try {
      const { data } = await write(ifMatch({ updatedAt: seen.current }));
      if (data) seen.current = data.updatedAt;
    } catch (error) {
      if (!isStale(error)) throw error;
      seen.current = String(error.details.updatedAt);
      const message = `Someone else has changed ${what} since you opened it. What you entered is still here: save again to replace their change, or reload the page to see it.`;
      throw new ApiError(error.status, error.requestId, { message });
    }
  };
}
