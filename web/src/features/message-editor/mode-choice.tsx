import { ToggleButton } from 'react-aria-components/ToggleButton';
import { ToggleButtonGroup } from 'react-aria-components/ToggleButtonGroup';
import type { EditingMode } from './editing-mode.ts';

const modes = [
  { id: 'visual', label: 'Visual' },
  { id: 'html', label: 'HTML' },
] as const;

interface ModeChoiceProps {
  mode: EditingMode;
  onChoose: (mode: EditingMode) => void;
}

export function ModeChoice({ mode, onChoose }: ModeChoiceProps) {
  return (
    <ToggleButtonGroup
      aria-label="Editor"
      disallowEmptySelection
      selectedKeys={[mode]}
      onSelectionChange={(keys) => {
        const chosen = modes.find(({ id }) => keys.has(id));
        if (chosen) onChoose(chosen.id);
      }}
      className="flex rounded-md border border-line-strong bg-canvas p-0.5"
    >
      {modes.map(({ id, label }) => (
        <ToggleButton
          key={id}
          id={id}
          className="cursor-pointer rounded px-2 text-xs text-muted data-[hovered]:text-ink data-[selected]:bg-accent-soft data-[selected]:font-medium data-[selected]:text-accent-text"
        >
          {label}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
