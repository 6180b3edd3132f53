import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Button } from 'react-aria-components/Button';
import { apiUrl } from '../api/client.ts';
import { Menu } from '../ui/menu.tsx';
import { userQuery } from './session.ts';
import { chooseTheme, useTheme } from './theme.ts';
import { useSignOut } from './use-sign-out.ts';

const nextTheme = { system: 'light', light: 'dark', dark: 'system' } as const;

export function AccountMenu() {
  const navigate = useNavigate();
  const theme = useTheme();
  const { data: user } = useSuspenseQuery(userQuery);
  const signOut = useSignOut();
  return (
    <Menu
      label="Account"
      trigger={
        <Button className="flex h-9 w-full items-center gap-2 rounded-md px-2 text-left text-sm text-muted hover:bg-hover hover:text-ink">
          <span
            aria-hidden
            className="flex size-6 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent-text uppercase"
          >
            {[...(user.name ?? user.email)][0]}
          </span>
          <span className="min-w-0 flex-1 truncate">{user.name ?? user.email}</span>
        </Button>
      }
      actions={[
        { label: 'Account', onAction: () => void navigate({ to: '/account', search: {} }) },
        {
          label: `Theme: ${theme}. Change to ${nextTheme[theme]}`,
          onAction: () => chooseTheme(nextTheme[theme]),
        },
        { label: 'API reference', onAction: () => void window.open(new URL('docs', apiUrl), '_blank') },
        { label: 'Sign out', onAction: signOut },
      ]}
    />
  );
}
