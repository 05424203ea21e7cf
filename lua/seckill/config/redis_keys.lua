-- Names of the keys in the control Redis that the edge reads, as
-- contracts/README.md has them; those that end in ":" want a product id.

return {
    LIMITS = "seckill:limits",
    PRODUCT_LIMITS = "seckill:limits:product:",
    SALES = "seckill:sales",
    SALE = "seckill:sale:",
    QUOTA = "seckill:quota:",
}
