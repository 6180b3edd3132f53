import { MoreHorizontal } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Menu as AriaMenu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Text } from 'react-aria-components/Text';
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
        <AriaMenu className="outline-none" aria-label={label}>
          {actions.map(({ onAction, note, ...action }) => (
            <MenuItem
              key={action.id ?? action.label}
              {...(onAction && { onAction: () => void run(onAction) })}
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
      </Popover>
    </MenuTrigger>
  );
}
