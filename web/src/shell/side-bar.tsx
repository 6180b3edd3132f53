import { Link } from '@tanstack/react-router';
import { ChevronsUpDown, Search } from 'lucide-react';
import { Button } from 'react-aria-components/Button';
import { AccountMenu } from './account-menu.tsx';
import { navigation } from './navigation.ts';
import { ProjectMenu } from './project-menu.tsx';
import { useProject } from './session.ts';

interface SideBarProps {
  onSearch: () => void;
  /** Called before another page opens. */
  onLeave?: () => void;
}

const shortcut = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

const rowLook =
  'flex h-8 w-full items-center gap-2.5 rounded-md px-2 text-muted hover:bg-hover hover:text-ink';

export function SideBar({ onSearch, onLeave }: SideBarProps) {
  const project = useProject();
  return (
    <div className="flex min-h-full flex-col gap-4 p-3">
      <ProjectMenu
        onLeave={onLeave}
        trigger={
          <Button className="flex h-9 w-full items-center justify-between gap-2 rounded-md px-2 font-semibold hover:bg-hover">
            <span className="truncate">{project.name}</span>
            <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-faint" />
          </Button>
        }
      />
      <Button className={`${rowLook} border border-line bg-canvas`} onPress={onSearch}>
        <Search aria-hidden className="size-4" />
        <span className="flex-1 text-left">Search</span>
        <kbd className="font-sans text-xs text-faint">{shortcut}</kbd>
      </Button>
      <nav aria-label="Project" className="flex flex-1 flex-col gap-4">
        {navigation.map((group) => (
          <div key={group.title}>
            {group.title && <p className="px-2 pb-1 text-xs font-medium text-faint">{group.title}</p>}
            <ul>
              {group.entries.map(({ label, to, icon: Icon }) => (
                <li key={label}>
                  <Link
                    to={to}
                    params={{ projectId: project.id }}
                    activeOptions={{ exact: label === 'Home', includeSearch: false }}
                    className={rowLook}
                    activeProps={{ className: 'bg-hover font-medium text-ink' }}
                    {...(onLeave && { onClick: onLeave })}
                  >
                    <Icon aria-hidden className="size-4" />
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <AccountMenu />
    </div>
  );
}
