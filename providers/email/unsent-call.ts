/** The call failed before its whole request was sent, so SES cannot have accepted it. `cause` is the failure. */
export class UnsentCall extends Error {
  override readonly name = 'UnsentCall';

  constructor(cause: unknown) {
    super('The request was not sent', { cause });
  }
}

interface CallContext {
  __smithy_context?: { abortSignal?: unknown };
}

/** Contexts of the calls that reached the connection; the SDK creates one per call. */
const begun = new WeakSet<CallContext>();

/**
 * The first step of the SDK client. Whatever fails before `notingBegunCalls`, such as getting credentials, sent
 * nothing; nor does a call whose time runs out before that step, so it ends at once.
 *
 * @throws UnsentCall
 */
export function notingUnsentCalls<Input, Output>(
  next: (input: Input) => Promise<Output>,
  context: CallContext,
): (input: Input) => Promise<Output> {
  return async (input) => {
    const tooLate = Promise.withResolvers<never>();
    const signal = signalOf(context);
    const giveUp = () => {
      if (!begun.has(context)) tooLate.reject(new Error('No AWS credentials in time'));
    };
    signal?.addEventListener('abort', giveUp);
    try {
      return await Promise.race([next(input), tooLate.promise]);
    } catch (cause) {
      throw begun.has(context) ? cause : new UnsentCall(cause);
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  };
}

/** The step of the SDK client before the connection. */
export function notingBegunCalls<Input, Output>(
  next: (input: Input) => Promise<Output>,
  context: CallContext,
): (input: Input) => Promise<Output> {
  return async (input) => {
    signalOf(context)?.throwIfAborted();
    begun.add(context);
    return next(input);
  };
}

function signalOf({ __smithy_context: call }: CallContext): AbortSignal | undefined {
  return call?.abortSignal instanceof AbortSignal ? call.abortSignal : undefined;
}
