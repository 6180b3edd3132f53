import { getRouteApi } from '@tanstack/react-router';
import { z } from 'zod';
import { $api, api } from '../../api/client.ts';
import { useIsSigningOut } from '../../shell/use-sign-out.ts';
import { addressSchema } from '../../ui/address-schema.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { GuestFrame } from './guest-frame.tsx';
import { OneTimeSignIn } from './one-time-sign-in.tsx';
import { ProviderLinks } from './provider-links.tsx';
import { refusalWords } from './refusal-words.ts';
import { useEnter } from './use-enter.ts';

const schema = z.object({
  email: addressSchema('Enter the address of your account.'),
  password: z.string().min(1, 'Enter your password.'),
});

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { token } = route.useSearch();
  if (useIsSigningOut()) return <GuestFrame title="Signing out …" />;
  return token === undefined ? <PasswordSignIn /> : <OneTimeSignIn token={token} />;
}

function PasswordSignIn() {
  const enter = useEnter();
  const { next, error } = route.useSearch();
  const { data: config } = $api.useQuery('get', '/config');
  const { form, failure, submit } = useApiForm({
    schema,
    defaultValues: { email: '', password: '' },
    save: async (body) => {
      await api.POST('/auth/login', { body });
      await enter(next);
    },
  });
  return (
    <GuestFrame title="Sign in">
      <form className="flex flex-col gap-4" onSubmit={submit} noValidate>
        {error !== undefined && <ErrorNote error={new Error(refusalWords(error))} />}
        <FormField
          control={form.control}
          name="email"
          label="Email"
          type="email"
          autoComplete="username"
          autoFocus
        />
        <FormField
          control={form.control}
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
        />
        <ErrorNote error={failure} />
        <Button type="submit" look="primary" isPending={form.formState.isSubmitting}>
          Sign in
        </Button>
      </form>
      <ProviderLinks />
      <p className="mt-5 flex justify-between text-sm">
        <TextLink to="/forgot-password">Forgot password?</TextLink>
        {config?.features.signup && <TextLink to="/sign-up">Create an account</TextLink>}
      </p>
    </GuestFrame>
  );
}
