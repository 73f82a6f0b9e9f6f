/* real: circular doubly linked lists. */
#ifndef _LINUX_LIST_H
#define _LINUX_LIST_H

#include <linux/container_of.h>
#include <linux/types.h>

#define LIST_HEAD_INIT(head)                     \
	{                                        \
		.next = &(head), .prev = &(head) \
	}
#define LIST_HEAD(head) struct list_head head = LIST_HEAD_INIT(head)

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->prev = head;
	head->next = head;
}

/* list_join() - the chain first..last goes in between two neighbours */
static inline void list_join(struct list_head *before, struct list_head *first,
			     struct list_head *last, struct list_head *after)
{
	before->next = first;
	first->prev = before;
	after->prev = last;
	last->next = after;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

static inline void list_add(struct list_head *entry, struct list_head *head)
{
	list_join(head, entry, entry, head->next);
}

static inline void list_add_tail(struct list_head *entry, struct list_head *head)
{
	list_join(head->prev, entry, entry, head);
}

static inline void list_del(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
	INIT_LIST_HEAD(entry);
}

static inline void list_splice(const struct list_head *from, struct list_head *head)
{
	if (!list_empty(from))
		list_join(head, from->next, from->prev, head->next);
}

static inline void list_splice_tail(struct list_head *from, struct list_head *head)
{
	list_splice(from, head->prev);
}

static inline void list_splice_init(struct list_head *from, struct list_head *head)
{
	list_splice(from, head);
	INIT_LIST_HEAD(from);
}

#define list_del_init list_del

#define list_entry(node, type, member)	     container_of(node, type, member)
#define list_first_entry(head, type, member) list_entry((head)->next, type, member)
#define list_last_entry(head, type, member)  list_entry((head)->prev, type, member)
#define LIST_NODE(node, as, member)	     list_entry(node, __typeof__(*(as)), member)

/* Each step of a loop counts, so that a list that lost its head doesn't hang the run. */
#define list_for_each_entry(item, head, member)                                         \
	for ((item) = LIST_NODE((head)->next, item, member); &(item)->member != (head); \
	     host_step(current_entry.host), (item) = LIST_NODE((item)->member.next, item, member))
#define list_for_each_entry_safe(item, following, head, member)                              \
	for ((item) = LIST_NODE((head)->next, item, member),                                 \
	    (following) = LIST_NODE((item)->member.next, item, member);                      \
	     &(item)->member != (head); host_step(current_entry.host), (item) = (following), \
	    (following) = LIST_NODE((item)->member.next, item, member))

#endif
