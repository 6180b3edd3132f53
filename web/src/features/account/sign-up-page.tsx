import { z } from 'zod';
import { $api, api } from '../../api/client.ts';
import { addressSchema } from '../../ui/address-schema.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { GuestFrame } from './guest-frame.tsx';
import { newPassword } from './new-password.ts';
import { ProviderLinks } from './provider-links.tsx';
import { useEnter } from './use-enter.ts';

const schema = z.object({
  name: z.string().max(200),
  email: addressSchema('Enter your email address.'),
  password: newPassword,
});

export function SignUpPage() {
  const enter = useEnter();
  const { data: config } = $api.useQuery('get', '/config');
  const { form, failure, submit } = useApiForm({
    schema,
    defaultValues: { name: '', email: '', password: '' },
    save: async ({ name, ...body }) => {
      await api.POST('/auth/signup', {
        body: { ...body, ...(name !== '' && { name }) },
      });
      await enter();
    },
  });
  if (config && !config.features.signup) {
    return (
      <GuestFrame title="Create an account">
        <p className="text-muted">New accounts need an invitation. Ask a project owner to invite you.</p>
      </GuestFrame>
    );
  }
  return (
    <GuestFrame title="Create an account">
      <form className="flex flex-col gap-4" onSubmit={submit} noValidate>
        <FormField control={form.control} name="name" label="Name" hint="Optional." autoComplete="name" />
        <FormField control={form.control} name="email" label="Email" type="email" autoComplete="username" />
        <FormField
          control={form.control}
          name="password"
          label="Password"
          type="password"
          autoComplete="new-password"
          hint="At least 10 characters."
        />
        <ErrorNote error={failure} />
        <Button type="submit" look="primary" isPending={form.formState.isSubmitting}>
          Create the account
        </Button>
      </form>
      <ProviderLinks />
      <p className="mt-5 text-sm text-muted">
        Already have an account? <TextLink to="/sign-in">Sign in</TextLink>
      </p>
    </GuestFrame>
  );
}
