import { Controller, type UseFormReturn } from 'react-hook-form';
import { ColorField } from '../../ui/color-field.tsx';
import { FormField } from '../../ui/form-field.tsx';
import { FormSelect } from '../../ui/form-select.tsx';
import { FooterPreview } from './footer-preview.tsx';
import { LogoField } from './logo-field.tsx';
import { isColor, languages, type ProjectValues } from './project-values.ts';

export function BrandFields({ form }: { form: UseFormReturn<ProjectValues> }) {
  const { control } = form;
  const [color, address, language] = form.watch(['brandColor', 'footerAddress', 'language']);
  return (
    <div className="grid gap-x-10 gap-y-6 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-5">
        <Controller
          control={control}
          name="logoUrl"
          render={({ field, fieldState }) => (
            <LogoField value={field.value} onChange={field.onChange} error={fieldState.error?.message} />
          )}
        />
        <div className="flex items-start gap-3">
          <FormField
            control={control}
            name="brandColor"
            label="Brand color"
            placeholder="#1d4ed8"
            hint="For buttons in emails, and on pages that your contacts see."
            className="flex-1"
          />
          <ColorField
            label="Pick the brand color"
            isLabelHidden
            value={isColor(color) ? color : '#1d4ed8'}
            onChange={(picked) =>
              form.setValue('brandColor', picked, { shouldDirty: true, shouldValidate: true })
            }
            className="mt-6"
          />
        </div>
        <FormSelect
          control={control}
          name="language"
          label="Language"
          options={languages}
          hint="For email footers and pages of contacts without a locale of their own."
        />
        <FormField
          control={control}
          name="footerAddress"
          label="Postal address"
          rows={4}
          placeholder={'Acme Ltd\n1 Market Street\nLondon'}
          hint={
            address.trim() === '' ? (
              <span className="text-warn">
                Without one, marketing email has no postal address at its end, although many countries require
                it by law.
              </span>
            ) : (
              'For the footer that marketing email gets, unless it has an unsubscribe link of its own.'
            )
          }
        />
      </div>
      <FooterPreview footerAddress={address} language={language} />
    </div>
  );
}
