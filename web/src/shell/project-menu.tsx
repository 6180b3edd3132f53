import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { $api } from '../api/client.ts';
import { Menu } from '../ui/menu.tsx';

/** Switches the project; the last entry creates one. */
export function ProjectMenu({ trigger }: { trigger: ReactNode }) {
  const navigate = useNavigate();
  const { data } = $api.useSuspenseQuery('get', '/users/@me/projects');
  const open = (projectId: string) => navigate({ to: '/projects/$projectId', params: { projectId } });
  return (
    <Menu
      label="Projects"
      trigger={trigger}
      actions={[
        ...data.data.map(({ id, name }) => ({ label: name, onAction: () => void open(id) })),
        {
          label: 'New project …',
          onAction: () => void navigate({ to: '/account', search: { create: true } }),
        },
      ]}
    />
  );
}
