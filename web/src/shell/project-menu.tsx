import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Menu } from '../ui/menu.tsx';
import { projectsQuery } from './session.ts';

/** Switches the project; the last entry creates one. */
export function ProjectMenu({
  trigger,
  onLeave,
}: {
  trigger: ReactNode;
  onLeave?: (() => void) | undefined;
}) {
  const navigate = useNavigate();
  const { data } = useSuspenseQuery(projectsQuery);
  const open = (projectId: string) => {
    onLeave?.();
    void navigate({ to: '/projects/$projectId', params: { projectId } });
  };
  return (
    <Menu
      label="Projects"
      trigger={trigger}
      actions={[
        ...data.data.map(({ id, name }) => ({ id, label: name, onAction: () => open(id) })),
        {
          label: 'New project …',
          onAction: () => void navigate({ to: '/account', search: { create: true } }),
        },
      ]}
    />
  );
}
