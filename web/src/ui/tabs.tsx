import type { ReactNode } from 'react';
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from 'react-aria-components/Tabs';

interface TabsProps<Id extends string> {
  label: string;
  tabs: readonly { id: Id; label: string; content: ReactNode }[];
  /** Kept in the URL by the page. */
  selected: Id;
  onSelect: (id: Id) => void;
}

/** Only the selected tab is rendered. */
export function Tabs<Id extends string>({ label, tabs, selected, onSelect }: TabsProps<Id>) {
  return (
    <AriaTabs
      selectedKey={selected}
      onSelectionChange={(key) => onSelect(key as Id)}
      className="flex flex-col gap-5 outline-none"
    >
      <TabList
        aria-label={label}
        className="-mx-1 flex flex-wrap gap-x-2 gap-y-1 shadow-[inset_0_-1px_var(--line)] sm:gap-x-3"
      >
        {tabs.map((tab) => (
          <Tab
            key={tab.id}
            id={tab.id}
            className="cursor-pointer border-b-2 border-transparent px-1 pb-2 whitespace-nowrap text-muted -outline-offset-2 data-[hovered]:text-ink data-[selected]:border-accent data-[selected]:font-medium data-[selected]:text-ink"
          >
            {tab.label}
          </Tab>
        ))}
      </TabList>
      {tabs.map((tab) => (
        <TabPanel key={tab.id} id={tab.id} className="outline-none">
          {tab.content}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
