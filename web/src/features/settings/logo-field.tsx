import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { ImageGrid } from '../images/image-grid.tsx';

interface LogoFieldProps {
  value: string;
  onChange: (url: string) => void;
  error: string | undefined;
}

export function LogoField({ value, onChange, error }: LogoFieldProps) {
  const [isChoosing, setIsChoosing] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const close = () => setIsChoosing(false);
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label="Logo"
        type="url"
        placeholder="https://"
        hint="Shown instead of the name on pages that your contacts see."
        value={value}
        onChange={onChange}
        error={error}
      />
      {URL.canParse(value) && (
        <div className="flex items-center justify-center rounded-md border border-line bg-sunken p-3">
          <img src={value} alt="Your logo" className="max-h-16 max-w-full" />
        </div>
      )}
      <div className="flex gap-2">
        <Button onPress={() => setIsChoosing(true)}>Choose an image</Button>
        {value !== '' && (
          <Button look="quiet" onPress={() => onChange('')}>
            Remove the logo
          </Button>
        )}
      </div>
      <Dialog title="Choose a logo" shape="wide" isOpen={isChoosing} onClose={close}>
        <div className="flex flex-col gap-4">
          <ImageGrid url={chosen} onChoose={setChosen} />
          <DialogActions>
            <Button onPress={close}>Cancel</Button>
            <Button
              look="primary"
              isDisabled={chosen === null}
              onPress={() => {
                onChange(chosen ?? '');
                close();
              }}
            >
              Use as logo
            </Button>
          </DialogActions>
        </div>
      </Dialog>
    </div>
  );
}
