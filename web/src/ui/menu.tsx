import { MoreHorizontal } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Menu as AriaMenu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Text } from 'react-aria-components/Text';
import { ListLayout, Virtualizer } from 'react-aria-components/Virtualizer';
import { IconButton } from './button.tsx';
import { classNames } from './class-names.ts';
import { OptionNote, optionLook, popoverLook } from './select.tsx';

export interface MenuAction {
  /** Required where two actions may have the same label. */
  id?: string;
  label: string;
  /** Until its promise settles, the three-dots button is pending, so that nothing runs twice. */
  onAction?: () => unknown;
  /** Opens another site in a new tab. */
  href?: string;
  isDangerous?: boolean;
  isDisabled?: boolean;
  /** Below the label: why the action is disabled. */
  note?: string | undefined;
}

interface MenuProps {
  /** Label of the three-dots button; ignored with `trigger`. */
  label: string;
  actions: readonly MenuAction[];
  trigger?: ReactNode;
}

/** Of a longer menu, such as that of thousands of projects, only the visible entries are rendered. */
const mostRendered = 100;

export function Menu({ label, actions, trigger }: MenuProps) {
  const [isPending, setIsPending] = useState(false);
  const run = async (action: () => unknown) => {
    setIsPending(true);
    try {
      await action();
    } finally {
      setIsPending(false);
    }
  };
  return (
    <MenuTrigger>
      {trigger ?? (
        <IconButton label={label} isPending={isPending}>
          <MoreHorizontal className="size-4" />
        </IconButton>
      )}
      <Popover offset={4} className={classNames(popoverLook, 'min-w-44')}>
        <Actions label={label} actions={actions} run={(action) => void run(action)} />
      </Popover>
    </MenuTrigger>
  );
}

interface ActionsProps extends Pick<MenuProps, 'label' | 'actions'> {
  run: (action: () => unknown) => void;
}

function Actions({ label, actions, run }: ActionsProps) {
  const isLong = actions.length > mostRendered;
  const menu = (
    <AriaMenu className={classNames('outline-none', isLong && 'h-76 w-64 overflow-auto')} aria-label={label}>
      {actions.map(({ onAction, note, ...action }) => (
        <MenuItem
          key={action.id ?? action.label}
          {...(onAction && { onAction: () => run(onAction) })}
          {...(action.href !== undefined && { href: action.href, target: '_blank', rel: 'noreferrer' })}
          isDisabled={action.isDisabled ?? false}
          textValue={action.label}
          className={classNames(optionLook, 'cursor-pointer', action.isDangerous && 'text-bad')}
        >
          <span className="min-w-0">
            <Text slot="label" className="block">
              {action.label}
            </Text>
            {note !== undefined && <OptionNote>{note}</OptionNote>}
          </span>
        </MenuItem>
      ))}
    </AriaMenu>
  );
  if (!isLong) return menu;
  return (
    <Virtualizer layout={ListLayout} layoutOptions={{ estimatedRowHeight: 32 }}>
      {menu}
    </Virtualizer>
  );
}
