/* The story of one program; see tools/trace.h. */
#include <stdio.h>
#include <string.h>

#include "tools/trace.h"

static const char *error_word(int error)
{
	return error ? strerrorname_np(-error) : "0";
}

static void gather_print(const struct walker_gather *gather)
{
	if (!gather->empty)
		printf(", gathered 0x%llx..0x%llx", gather->range.first, gather->range.last);
}

static void step_answer(const struct step *step)
{
	switch (step->op) {
	case ORACLE_OPEN:
		printf("open");
		if (step->error)
			printf(" -> -%s", error_word(step->error));
		break;
	case ORACLE_MAP:
		printf("map    iova=0x%llx oa=0x%llx len=0x%llx -> %s%s, 0x%llx mapped", step->iova,
		       step->oa, step->len, step->error ? "-" : "", error_word(step->error),
		       step->value);
		break;
	case ORACLE_UNMAP:
		printf("unmap  iova=0x%llx len=0x%llx -> 0x%llx removed", step->iova, step->len,
		       step->value);
		gather_print(step->gather);
		break;
	case ORACLE_LOOKUP:
		printf("lookup iova=0x%llx -> 0x%llx", step->iova, step->value);
		break;
	case ORACLE_SYNC:
		printf("sync");
		break;
	case ORACLE_CLOSE:
		printf("close");
		break;
	case ORACLE_WRITE:
		printf("write  iova=0x%llx len=0x%llx: %llu items are dirty", step->iova, step->len,
		       step->value);
		break;
	case ORACLE_DIRTY:
		printf("dirty  iova=0x%llx len=0x%llx%s -> %s%s, %llu bits set", step->iova,
		       step->len, step->clear ? " clear" : "", step->error ? "-" : "",
		       error_word(step->error), step->value);
		gather_print(step->gather);
		break;
	case ORACLE_OP_NR:
		break;
	}
}

static void costs_print(const struct host_counts *op, bool failed_alloc)
{
	printf("  [%llu loads, %llu stores", op->loads, op->stores);
	if (op->allocs || op->frees)
		printf(", %llu allocs, %llu frees", op->allocs, op->frees);
	if (op->flushes)
		printf(", %llu lines flushed", op->lines_flushed);
	if (op->lines_wasted)
		printf(", %llu of them without need", op->lines_wasted);
	if (failed_alloc)
		printf(", an allocation was made to fail");
	if (op->syncs)
		printf(", %llu syncs", op->syncs);
	printf("]\n");
}

static void event_print(const struct host *host, const struct host_event *event)
{
	u64 pa = host_page_pa(host, event->page);

	printf("        %-10s ", host_event_word(event->kind));
	switch ((enum host_event_kind)event->kind) {
	case HOST_EVENT_ALLOC:
		printf("pa 0x%llx, 0x%llx bytes\n", pa, event->a);
		break;
	case HOST_EVENT_REFUSE:
		printf("0x%llx bytes%s\n", event->a, event->b ? " (injected)" : "");
		break;
	case HOST_EVENT_FREE:
		printf("pa 0x%llx\n", pa);
		break;
	case HOST_EVENT_STORE:
		printf("pa 0x%llx item %u: 0x%llx -> 0x%llx\n", pa, event->item, event->a,
		       event->b);
		break;
	case HOST_EVENT_FLUSH:
		printf("pa 0x%llx: %d lines, %d without need\n", pa, __builtin_popcountll(event->a),
		       __builtin_popcountll(event->b));
		break;
	case HOST_EVENT_GATHER:
	case HOST_EVENT_SYNC:
		printf("0x%llx..0x%llx\n", event->a, event->b);
		break;
	case HOST_EVENT_CHANGE_TOP:
		printf("pa 0x%llx, level %llu\n", event->a, event->b);
		break;
	case HOST_EVENT_WARN:
		printf("%s\n", event->text);
		break;
	case HOST_EVENT_FAULT:
		printf("%s 0x%llx\n", host_fault_word(event->item), event->a);
		break;
	case HOST_EVENT_SYNC_ALL:
	case HOST_EVENT_BEGIN:
	case HOST_EVENT_NR:
		putchar('\n');
	}
}

/* The events since the last operation began, as far as the record still holds them. */
static void events_print(const struct host *host)
{
	u64 oldest = host->events_nr > HOST_EVENTS ? host->events_nr - HOST_EVENTS : 0;
	u64 first = host->events_nr;

	while (first > oldest && host->events[(first - 1) % HOST_EVENTS].kind != HOST_EVENT_BEGIN)
		first--;
	if (first == oldest && oldest)
		puts("        (earlier events are no longer recorded)");
	for (; first < host->events_nr; first++)
		event_print(host, &host->events[first % HOST_EVENTS]);
}

void trace_step(const struct executor *executor, const struct step *step, bool verbose)
{
	printf("  %3u  ", step->nr);
	step_answer(step);
	if (executor->host->escape)
		printf(" (left: %s)", executor->host->escape_text);
	costs_print(&executor->host->op, executor->host->failed_alloc);
	if (verbose)
		events_print(executor->host);
}

void trace_other(const struct differ_record *record)
{
	printf("  other ");
	step_answer(&record->step);
	costs_print(&record->cost, record->failed_alloc);
}

void trace_verdict(const struct verdict *verdict, const struct step *step, bool colour)
{
	char signature[VERDICT_SIGNATURE_MAX];

	printf("%sVIOLATION %s%s in step %u\n", colour ? "\033[1;31m" : "",
	       verdict_signature(verdict, signature), colour ? "\033[0m" : "", step->nr);
	printf("  got   %s\n", verdict->got);
	if (verdict->want[0])
		printf("  want  %s\n", verdict->want);
	printf("  rule  %s\n        (%s)\n", rule_sentence(verdict->rule),
	       rule_source(verdict->rule));
	if (!verdict->legal)
		printf("  note  the caller breaks its own part of the contract in this program\n");
}
