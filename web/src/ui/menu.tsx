import { MoreHorizontal } from 'lucide-react';
import type { ReactNode } from 'react';
import { Menu as AriaMenu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { IconButton } from './button.tsx';
import { classNames } from './class-names.ts';
import { optionLook, popoverLook } from './select.tsx';

export interface MenuAction {
  /** Where two actions may have the same label. */
  id?: string;
  label: string;
  onAction?: () => void;
  /** Opens another site in a new tab. */
  href?: string;
  isDangerous?: boolean;
  isDisabled?: boolean;
}

interface MenuProps {
  /** Of the button with three dots; ignored with `trigger`. */
  label: string;
  actions: readonly MenuAction[];
  trigger?: ReactNode;
}

export function Menu({ label, actions, trigger }: MenuProps) {
  return (
    <MenuTrigger>
      {trigger ?? (
        <IconButton label={label}>
          <MoreHorizontal className="size-4" />
        </IconButton>
      )}
      <Popover offset={4} className={classNames(popoverLook, 'min-w-44')}>
        <AriaMenu className="outline-none" aria-label={label}>
          {actions.map((action) => (
            <MenuItem
              key={action.id ?? action.label}
              {...(action.onAction && { onAction: action.onAction })}
              {...(action.href !== undefined && { href: action.href, target: '_blank', rel: 'noreferrer' })}
              isDisabled={action.isDisabled ?? false}
              className={classNames(optionLook, 'cursor-pointer', action.isDangerous && 'text-bad')}
            >
              {action.label}
            </MenuItem>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
