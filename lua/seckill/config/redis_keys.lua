-- Names of the keys in the control Redis that the edge reads, as
-- contracts/README.md has them; those that end in ":" want a product id
-- (a lease: and its own).

return {
    LIMITS = "seckill:limits",
    LIMITS_KEPT = "seckill:limits:kept",
    PRODUCT_LIMITS = "seckill:limits:product:",
    SALES = "seckill:sales",
    SALE = "seckill:sale:",
    SALE_CHANGES = "seckill:sale-changes",
    QUOTA = "seckill:quota:",
    LEASE = "seckill:lease:",
    BACKLOG = "seckill:backlog",
    EDGES = "seckill:edges",
}
