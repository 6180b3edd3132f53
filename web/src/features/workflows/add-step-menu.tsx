import type { ReactNode } from 'react';
import { Menu, type MenuAction } from '../../ui/menu.tsx';
import { type AddedType, addedTypes, stepTypes } from './step-types.ts';

interface AddStepMenuProps {
  label: string;
  trigger: ReactNode;
  onAdd: (type: AddedType) => void;
  /** False between two steps, where an exit can't stand. */
  hasExit: boolean;
  others: readonly MenuAction[];
}

export function AddStepMenu({ label, trigger, onAdd, hasExit, others }: AddStepMenuProps) {
  const types = hasExit ? addedTypes : addedTypes.filter((type) => type !== 'EXIT');
  return (
    <Menu
      label={label}
      trigger={trigger}
      actions={[
        ...types.map((type) => ({ label: stepTypes[type].title, onAction: () => onAdd(type) })),
        ...others,
      ]}
    />
  );
}
