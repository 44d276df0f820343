/* peak_page.c - see peak_page.h. */
#include "report/peak_page.h"

#define PLACE_WIDTH 30

void page_array(struct page *page, const struct array_facts *array)
{
    char bytes[TEXT_SIZE_MAX];

    if (array)
        page_print(page, "Each", "%s%s%s, %s (%s)", array->dtype, array->dtype[0] ? " " : "",
                   array->shape, text_size(bytes, array->bytes), array->library);
}

static void put_part(struct page *page, const struct peak_part *part)
{
    char place[PAGE_TEXT] = "(the stack was not recorded)", bytes[TEXT_SIZE_MAX];

    if (part->place_count > 0)
        page_place(page, &part->places[0], place, sizeof(place), PLACE_WIDTH);
    page_print(page, "", "%8s  %s%s%s", text_size(bytes, part->bytes), place,
               part->held_by ? "; held by " : "", part->held_by ? part->held_by : "");
}

static void put_saving(struct page *page, const struct peak_saving *saving)
{
    char bytes[TEXT_SIZE_MAX], remains[TEXT_SIZE_MAX];

    page_print(page, "", "→ saves %s, leaves %s%s: %s", text_size(bytes, saving->bytes),
               text_size(remains, saving->remains),
               saving->lowers_peak ? "" : " (of what stays allocated, not of the peak)", saving->text);
    if (saving->code)
        page_code_whole(page, "", saving->code);
}

void page_peaks(struct page *page, const struct process_report *report)
{
    for (size_t i = 0; i < report->peak_finding_count; i++) {
        const struct peak_finding *finding = &report->peak_findings[i];

        page_line(page, "", finding->summary);
        for (size_t k = 0; k < finding->part_count; k++)
            put_part(page, &finding->parts[k]);
        for (size_t k = 0; k < finding->saving_count; k++)
            put_saving(page, &finding->savings[k]);
    }
}
