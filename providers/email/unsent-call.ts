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
 * nothing.
 *
 * @throws UnsentCall
 */
export function notingUnsentCalls<Input, Output>(
  next: (input: Input) => Promise<Output>,
  context: CallContext,
): (input: Input) => Promise<Output> {
  return async (input) => {
    try {
      return await next(input);
    } catch (cause) {
      throw begun.has(context) ? cause : new UnsentCall(cause);
    }
  };
}

/** The step of the SDK client before the connection. A call whose time ran out before this step sends nothing. */
export function notingBegunCalls<Input, Output>(
  next: (input: Input) => Promise<Output>,
  context: CallContext,
): (input: Input) => Promise<Output> {
  return async (input) => {
    const signal = context.__smithy_context?.abortSignal;
    if (signal instanceof AbortSignal) signal.throwIfAborted();
    begun.add(context);
    return next(input);
  };
}
