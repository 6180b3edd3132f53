import { useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { api } from '../../api/client.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { GuestFrame } from './guest-frame.tsx';
import { useEnter } from './use-enter.ts';

/** The page of a one-time sign-in link. Only the button redeems it, because mail scanners open links, too. */
export function OneTimeSignIn({ token }: { token: string }) {
  const enter = useEnter();
  const [error, setError] = useState<unknown>(null);
  const [isPending, setIsPending] = useState(false);
  const signIn = async () => {
    setIsPending(true);
    try {
      await api.POST('/auth/one-time', { body: { token } });
      await enter();
    } catch (failure) {
      setError(failure);
      setIsPending(false);
    }
  };
  const isUseless = error instanceof ApiError && error.status === 400;
  return (
    <GuestFrame title="Sign in">
      {isUseless ? (
        <p role="alert">
          This link was used or has expired. Each <code>npm start</code> prints another one; the password is
          in <code>credentials.json</code> in the data folder.
        </p>
      ) : (
        <div className="flex flex-col gap-4">
          <p className="text-muted">This link signs you in once, without a password.</p>
          <ErrorNote error={error} />
          <Button look="primary" autoFocus isPending={isPending} onPress={() => void signIn()}>
            Sign in
          </Button>
        </div>
      )}
      <p className="mt-5 text-sm">
        <TextLink to="/sign-in" search={{}}>
          Use email and password
        </TextLink>
      </p>
    </GuestFrame>
  );
}
